//! What goes wrong on the server, over and over.

use std::time::Duration;

use demo_api::{FaultPlan, ParseFaultError};

/// How long the story takes before it begins anew.
pub(crate) const LENGTH: Duration = Duration::from_secs(45);

/// Answers take their time throughout, and each API has its trouble: `flights` is down for a
/// while, `search` limits rates, `graphql` breaks connections and hangs, and `airports` is well
/// but for a hiccup.
const FAULTS: &str = "\
    503@6s-17s path=/flights; \
    late@80% pause=45ms path=/flights; late@15% pause=140ms path=/flights; \
    500@28s-28500ms path=/airports; \
    late@60% pause=20ms path=/airports; late@30% pause=60ms path=/airports; \
    429@20s-26s retry-after=\"2\" path=/table; \
    late@70% pause=30ms path=/table; late@20% pause=220ms path=/table; 429@2% retry-after=\"1\" path=/table; \
    close@34s-40s path=/graphql; \
    late@60% pause=80ms path=/graphql; late@20% pause=300ms path=/graphql; \
    reset@3% path=/graphql; hang@1% path=/graphql";

/// The story's faults.
pub(crate) fn plan(seed: u64) -> Result<FaultPlan, ParseFaultError> {
    Ok(FAULTS.parse::<FaultPlan>()?.with_seed(seed))
}

#[cfg(test)]
mod tests {
    use demo_api::Fault;

    use super::*;

    #[test]
    fn every_api_has_its_trouble_and_is_well_at_the_end() {
        let plan = plan(0).unwrap();
        let at = |path, seconds| plan.decide(path, 1, Duration::from_secs(seconds));
        assert_eq!(at("/flights", 8), Some(Fault::status(503)));
        assert_eq!(at("/graphql", 35), Some(Fault::Close));
        for path in ["/airports", "/flights", "/table/airports"] {
            let fault = at(path, 44);
            assert!(matches!(fault, None | Some(Fault::Late { .. })), "{path}: {fault:?}");
        }
    }
}
