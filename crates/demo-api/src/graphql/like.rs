//! SQL's `LIKE`: `%` is any text, `_` any character, a backslash takes the next one literally.

/// Whether upper and lower case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Counts,
    Ignored,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    AnyChar,
    AnyText,
    Char(char),
}

/// Whether `pattern` matches the whole of `text`.
pub(super) fn like(pattern: &str, text: &str, case: Case) -> bool {
    let fold = |text: &str| match case {
        Case::Counts => text.to_owned(),
        Case::Ignored => text.to_lowercase(),
    };
    let pieces = pieces(&fold(pattern));
    let text: Vec<_> = fold(text).chars().collect();

    // `reach[i]`: the pieces so far match the first `i` characters.
    let mut reach = vec![false; text.len() + 1];
    if let Some(start) = reach.first_mut() {
        *start = true;
    }
    for piece in pieces {
        reach = match piece {
            Piece::AnyText => {
                let mut any = false;
                let widen = |reached: bool| {
                    any |= reached;
                    any
                };
                reach.into_iter().map(widen).collect()
            }
            piece => {
                let step = |(reached, char): (bool, &char)| {
                    reached && (piece == Piece::AnyChar || piece == Piece::Char(*char))
                };
                core::iter::once(false).chain(reach.into_iter().zip(&text).map(step)).collect()
            }
        };
    }
    reach.last().copied().unwrap_or_default()
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        pieces.push(match char {
            '%' => Piece::AnyText,
            '_' => Piece::AnyChar,
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            char => Piece::Char(char),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_the_whole_text() {
        let yes = [
            ("%", ""),
            ("a%", "abc"),
            ("%c", "abc"),
            ("%b%", "abc"),
            ("a_c", "abc"),
            ("abc", "abc"),
            ("a%b%c", "axxbyyc"),
            (r"100\%", "100%"),
            (r"a\_c", "a_c"),
            ("%%", "x"),
            (r"\\", r"\"),
        ];
        let no = [
            ("", "a"),
            ("a", ""),
            ("_", ""),
            ("b%", "abc"),
            ("%b", "abc"),
            ("a_c", "abbc"),
            (r"100\%", "100x"),
            (r"a\_c", "abc"),
            ("ABC", "abc"),
        ];
        for (pattern, text) in yes {
            assert!(like(pattern, text, Case::Counts), "{pattern} {text}");
        }
        for (pattern, text) in no {
            assert!(!like(pattern, text, Case::Counts), "{pattern} {text}");
        }
        assert!(like("%ÉB%", "abcéb", Case::Ignored));
    }
}
