//! Rust text split into what is compiled and what is commented.
//!
//! Both halves keep the line numbers of the text. This is a scanner, not a parser: it knows
//! comments, strings and character literals, which is all a search for words needs.

/// The two halves of a Rust file.
#[derive(Debug)]
pub(crate) struct Masks {
    /// The code, with comments and the contents of strings blanked.
    pub(crate) code: String,
    /// The comments, with everything else blanked.
    pub(crate) comments: String,
}

/// What the scanner is inside of.
#[derive(Clone, Copy)]
enum Inside {
    BlockComment { depth: u32 },
    Code,
    LineComment,
    RawText { hashes: usize },
    Text,
}

impl Masks {
    pub(crate) fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut masks = Self { code: String::with_capacity(text.len()), comments: String::new() };
        let mut inside = Inside::Code;
        let mut at = 0;
        while let Some(rest) = chars.get(at..).filter(|rest| !rest.is_empty()) {
            let before = at.checked_sub(1).and_then(|index| chars.get(index)).copied();
            let (width, next) = step(inside, rest, before);
            let token = rest.iter().take(width);
            match (inside, next) {
                (Inside::LineComment | Inside::BlockComment { .. }, _)
                | (_, Inside::LineComment | Inside::BlockComment { .. }) => {
                    masks.push(token, Half::Comments);
                }
                (Inside::Code, Inside::Code) if width == 1 => masks.push(token, Half::Code),
                _ => masks.push(token, Half::Neither),
            }
            inside = next;
            at += width;
        }
        masks
    }

    /// The code without the items that are compiled for tests only.
    pub(crate) fn production(&self) -> String {
        without_test_items(&self.code)
    }

    fn push<'a>(&mut self, token: impl Iterator<Item = &'a char>, half: Half) {
        for &char in token {
            let blank = if char == '\n' { '\n' } else { ' ' };
            self.code.push(if half == Half::Code { char } else { blank });
            self.comments.push(if half == Half::Comments { char } else { blank });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Code,
    Comments,
    Neither,
}

/// How many characters belong together, and what comes after them.
fn step(inside: Inside, rest: &[char], before: Option<char>) -> (usize, Inside) {
    match (inside, rest) {
        (Inside::Code, ['/', '/', ..]) => (2, Inside::LineComment),
        (Inside::Code, ['/', '*', ..]) => (2, Inside::BlockComment { depth: 1 }),
        (Inside::Code, ['"', ..]) => (1, Inside::Text),
        (Inside::Code, ['r', tail @ ..]) if starts_a_token(before) => {
            let hashes = tail.iter().take_while(|&&char| char == '#').count();
            match tail.get(hashes) {
                Some('"') => (hashes + 2, Inside::RawText { hashes }),
                _ => (1, Inside::Code),
            }
        }
        (Inside::Code, ['\'', '\\', _, tail @ ..]) => {
            let more = tail.iter().take_while(|&&char| char != '\'').count();
            (more + 4, Inside::Code)
        }
        (Inside::Code, ['\'', _, '\'', ..]) => (3, Inside::Code),
        (Inside::LineComment, ['\n', ..]) => (1, Inside::Code),
        (Inside::BlockComment { depth }, ['/', '*', ..]) => {
            (2, Inside::BlockComment { depth: depth.saturating_add(1) })
        }
        (Inside::BlockComment { depth: 1 }, ['*', '/', ..]) => (2, Inside::Code),
        (Inside::BlockComment { depth }, ['*', '/', ..]) => {
            (2, Inside::BlockComment { depth: depth.saturating_sub(1) })
        }
        (Inside::Text, ['\\', _, ..]) => (2, Inside::Text),
        (Inside::Text, ['"', ..]) => (1, Inside::Code),
        (Inside::RawText { hashes }, ['"', tail @ ..])
            if tail.iter().take(hashes).filter(|&&char| char == '#').count() == hashes =>
        {
            (hashes + 1, Inside::Code)
        }
        (_, _) => (1, inside),
    }
}

/// `r`, `br` and `cr` open a raw string; the `r` of `for` does not.
fn starts_a_token(before: Option<char>) -> bool {
    before.is_none_or(|char| !is_word(char) || char == 'b' || char == 'c')
}

/// How an item is marked that is compiled for tests only.
const TEST_ONLY: &[&str] = &["#[cfg(test)]", "#[cfg(all(test"];

/// Blanks each item that is compiled for tests only.
fn without_test_items(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = TEST_ONLY.iter().filter_map(|mark| rest.find(mark)).min() {
        let (before, item) = rest.split_at(start);
        kept.push_str(before);
        let (item, after) = item.split_at(item_len(item));
        kept.extend(item.chars().map(|char| if char == '\n' { '\n' } else { ' ' }));
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// The names of the modules in files of their own that are declared for tests only.
pub(crate) fn test_modules(code: &str) -> Vec<String> {
    let marks = TEST_ONLY.iter().flat_map(|mark| code.match_indices(mark));
    let items = marks.filter_map(|(at, _)| code.get(at..)).filter_map(|item| {
        let declaration = item.get(..item_len(item))?.trim_end().strip_suffix(';')?;
        let (_, name) = declaration.rsplit_once("mod ")?;
        Some(name.trim().to_owned())
    });
    items.collect()
}

/// The length of the item at the front: up to its closing brace, or its semicolon.
fn item_len(item: &str) -> usize {
    let mut depth = 0_u32;
    for (at, char) in item.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => (),
        }
    }
    item.len()
}

/// The lines, counted from 1, on which `word` stands between characters that are no part of it.
pub(crate) fn lines_with<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let numbered = text.lines().enumerate();
    numbered.filter(move |(_, line)| has_word(line, word)).map(|(index, _)| index + 1)
}

fn has_word(line: &str, word: &str) -> bool {
    // An end of `word` that is punctuation, as in `todo!`, may touch anything.
    let joins = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(is_word) && outer.is_some_and(is_word)
    };
    line.match_indices(word).any(|(at, found)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|text| text.chars().next());
        !joins(word.chars().next(), before) && !joins(word.chars().next_back(), after)
    })
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_code(text: &str, code: &str) {
        assert_eq!(Masks::of(text).code.trim_end(), code);
    }

    #[test]
    fn comments_are_no_code() {
        assert_code("a // tokio\nb", "a         \nb");
        assert_code("a /* x /* tokio */ y */ b", "a                       b");
    }

    #[test]
    fn the_contents_of_strings_are_no_code() {
        assert_code(r#"a("tokio \" tokio", b)"#, "a(                , b)");
        assert_code("a(r#\"tokio \" tokio\"#, b)", "a(                  , b)");
        assert_code("for\"x\";", "for   ;");
    }

    #[test]
    fn a_quote_in_a_character_opens_no_string() {
        assert_code(r#"'"' tokio '\'' tokio"#, "    tokio      tokio");
        assert_code("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
    }

    #[test]
    fn comments_keep_their_lines() {
        let comments = Masks::of("a\n// why\n\"// not\"").comments;
        assert_eq!(comments.lines().map(str::trim).collect::<Vec<_>>(), ["", "// why", ""]);
    }

    #[test]
    fn test_items_are_cut_out_to_their_last_brace() {
        let text = "use a;\n#[cfg(test)]\nmod tests { fn f() { tokio } }\nuse b;";
        assert_eq!(
            Masks::of(text).production().split_whitespace().collect::<Vec<_>>(),
            ["use", "a;", "use", "b;"]
        );
        assert_eq!(Masks::of("#[cfg(test)]\nmod tests;\nx").production().trim(), "x");
        assert_eq!(Masks::of("#[cfg(all(test, loom))] mod l {}\nx").production().trim(), "x");
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(
            lines_with("rand\nrandom\noperand\nx.rand()", "rand").collect::<Vec<_>>(),
            [1, 4]
        );
        assert_eq!(lines_with("std::thread::sleep(d)", "thread::sleep").count(), 1);
        assert_eq!(lines_with("todo!()", "todo!").count(), 1);
    }
}
