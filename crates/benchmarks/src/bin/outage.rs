//! Prints what an outage comes to, for each client.

fn main() {
    benchmarks::outage::print();
}
