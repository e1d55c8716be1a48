//! The argument list of a field.

/// The parentheses of an argument list, opened by the first argument.
#[derive(Default)]
pub(super) struct Arguments {
    open: bool,
}

impl Arguments {
    /// Begins the argument `name`; its value is the caller's to write.
    pub(super) fn name(&mut self, out: &mut String, name: &str) {
        out.push_str(if self.open { ", " } else { "(" });
        self.open = true;
        out.push_str(name);
        out.push_str(": ");
    }

    pub(super) fn close(self, out: &mut String) {
        if self.open {
            out.push(')');
        }
    }
}
