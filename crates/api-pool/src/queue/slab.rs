//! A slab whose entries can stand in lines.
//!
//! Inserting, removing, joining and leaving a line take the same time however many entries
//! there are, and no allocation once the slab has grown.

/// No entry: the end of a line, or of the list of vacant entries.
const NIL: u32 = u32::MAX;

/// Where an entry is. Valid until the entry is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u32);

/// Entries, each of which may stand in one [`Line`].
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(crate) struct Slab<T> {
    nodes: Vec<Node<T>>,
    /// Head of the list of vacant nodes, which are linked through `next`.
    vacant: u32,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(crate) struct Node<T> {
    entry: Option<T>,
    prev: u32,
    next: u32,
}

/// First and last entry of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    head: u32,
    tail: u32,
}

impl Line {
    pub(crate) const EMPTY: Self = Self { head: NIL, tail: NIL };

    /// The entry at the head.
    pub(crate) fn head(self) -> Option<Key> {
        (self.head != NIL).then_some(Key(self.head))
    }
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self { nodes: Vec::new(), vacant: NIL }
    }

    /// Adds an entry that stands in no line. `None` if keys have run out.
    pub(crate) fn insert(&mut self, entry: T) -> Option<Key> {
        let node = Node { entry: Some(entry), prev: NIL, next: NIL };
        let place = self.vacant;
        if let Some(vacant) = self.node(place) {
            let next = core::mem::replace(vacant, node).next;
            self.vacant = next;
            return Some(Key(place));
        }
        let place = u32::try_from(self.nodes.len()).ok().filter(|&place| place != NIL)?;
        if self.nodes.len() == self.nodes.capacity() {
            // Growing by half bounds the memory of an entry to one and a half nodes.
            self.nodes.reserve_exact((self.nodes.len() / 2).max(8));
        }
        self.nodes.push(node);
        Some(Key(place))
    }

    /// Takes an entry out. It must have left its line.
    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        let vacant = self.vacant;
        let node = self.node(key.0)?;
        let entry = node.entry.take()?;
        node.next = vacant;
        self.vacant = key.0;
        Some(entry)
    }

    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        self.nodes.get(key.0 as usize)?.entry.as_ref()
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.node(key.0)?.entry.as_mut()
    }

    /// Every entry, in no particular order.
    pub(crate) fn entries(&mut self) -> impl Iterator<Item = &mut T> {
        self.nodes.iter_mut().filter_map(|node| node.entry.as_mut())
    }

    /// Puts an entry that has not stood in a line yet at the end of `line`.
    pub(crate) fn append(&mut self, line: &mut Line, key: Key) {
        let last = core::mem::replace(&mut line.tail, key.0);
        if let Some(node) = self.node(key.0) {
            node.prev = last;
        }
        match self.node(last) {
            Some(node) => node.next = key.0,
            None => line.head = key.0,
        }
    }

    /// Takes an entry out of the line it stands in, wherever it stands.
    pub(crate) fn unlink(&mut self, line: &mut Line, key: Key) {
        let Some(&mut Node { prev, next, .. }) = self.node(key.0) else { return };
        match self.node(prev) {
            Some(node) => node.next = next,
            None => line.head = next,
        }
        match self.node(next) {
            Some(node) => node.prev = prev,
            None => line.tail = prev,
        }
    }

    /// How many entries fit before the slab grows.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    fn node(&mut self, place: u32) -> Option<&mut Node<T>> {
        self.nodes.get_mut(place as usize)
    }
}
