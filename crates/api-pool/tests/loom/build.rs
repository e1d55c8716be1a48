//! Chooses loom's primitives, which `crate::sync` then re-exports in place of `std`'s.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(pool_loom)");
    println!("cargo::rustc-cfg=pool_loom");
}
