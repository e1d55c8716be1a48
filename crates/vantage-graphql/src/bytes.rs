//! What each byte may be in a document, as a table.

/// May begin a name.
pub(crate) const LETTER: u8 = 1;
/// May go on a name.
pub(crate) const DIGIT: u8 = 2;
/// Must be escaped in a string.
pub(crate) const ESCAPED: u8 = 4;

/// The kinds of `byte`, as a set of the constants above.
#[inline]
pub(crate) fn kinds(byte: u8) -> u8 {
    TABLE[usize::from(byte)]
}

static TABLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        table[at] = match at as u8 {
            b'_' | b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'"' | b'\\' | 0x00..=0x1F | 0x7F => ESCAPED,
            _ => 0,
        };
        at += 1;
    }
    table
};
