use std::time::Duration;

use proptest::prelude::*;

use super::*;

const START: Duration = Duration::ZERO;

fn plan(text: &str) -> FaultPlan {
    text.parse().unwrap()
}

/// How many of 100,000 requests for `/airports` meet each fault.
fn strikes(plan: &FaultPlan, fault: &Fault) -> usize {
    (1..=100_000)
        .filter(|number| plan.decide("/airports", *number, START).as_ref() == Some(fault))
        .count()
}

#[test]
fn text_spells_what_the_builder_builds() {
    let seconds = Duration::from_secs;
    let refusal =
        Refusal::new(429).with_retry_after("Wed, 21 Oct 2015 07:28:00 GMT").with_retry_after("5;x");
    let built = FaultPlan::new(0)
        .with(Rule::during(seconds(2)..seconds(60), Fault::status(503)))
        .with(Rule::share(Share::per_million(2_500), Fault::Refuse(refusal)))
        .with(Rule::requests(7..=7, Fault::Reset))
        .with(Rule::requests(7..=9, Fault::SlowBody(Duration::from_millis(5))).under("/flights"))
        .with(Rule::share(Share::percent(100), Fault::ServerError));
    let text = r#"
        503@2s-1m;
        429@0.25% retry-after="Wed, 21 Oct 2015 07:28:00 GMT" retry-after="5;x";
        reset@#7;; slow@#7-9 path=/flights pause=5ms; 5xx@100%;
    "#;
    assert_eq!(plan(text), built);
    assert_eq!(plan(""), FaultPlan::new(0));
    assert_eq!(plan(r#"503@#1 retry-after="say \"no\"""#), {
        let refusal = Refusal::new(503).with_retry_after(r#"say "no""#);
        FaultPlan::new(0).with(Rule::requests(1..=1, Fault::Refuse(refusal)))
    });
}

#[test]
fn every_fault_has_a_name() {
    let names = [
        ("close", Fault::Close),
        ("endless", Fault::EndlessBody(axum::http::StatusCode::INTERNAL_SERVER_ERROR)),
        ("graphql", Fault::GraphqlError("INTERNAL_SERVER_ERROR".to_owned())),
        ("hang", Fault::Hang),
        ("late", Fault::Late(Duration::from_millis(50))),
        ("404", Fault::status(404)),
        ("reset", Fault::Reset),
        ("reset-after", Fault::ResetAfter),
        ("slow", Fault::SlowBody(Duration::from_millis(50))),
        ("stall", Fault::StalledBody),
        ("truncate", Fault::TruncatedBody),
    ];
    for (name, fault) in names {
        let decided = plan(&format!("{name}@#1")).decide("/airports", 1, START);
        assert_eq!(decided, Some(fault), "{name}");
    }
}

#[test]
fn text_that_is_no_plan_is_refused_with_its_rule() {
    for wrong in [
        "503",
        "503@",
        "teapot@5%",
        "99@5%",
        "503@101%",
        "503@1.00001%",
        "503@-1%",
        "503@#0x1",
        "503@#9-7",
        "503@6s-2s",
        "503@2-6",
        "503@5% color=red",
        "503@5% retry-after",
        "slow@5% pause=50",
    ] {
        let error = format!("reset@#1; {wrong}").parse::<FaultPlan>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("fault rule `{wrong}`: ")), "{error}");
    }
}

#[test]
fn windows_come_first_and_the_earlier_rule_wins() {
    let plan = plan("reset@100%; 503@2s-3s; hang@#5-9; close@#9-10");
    let at = |number, seconds| plan.decide("/airports", number, Duration::from_millis(seconds));
    assert_eq!(at(1, 1_999), Some(Fault::Reset));
    assert_eq!(at(5, 2_000), Some(Fault::status(503)));
    assert_eq!(at(5, 2_999), Some(Fault::status(503)));
    assert_eq!(at(5, 3_000), Some(Fault::Hang));
    assert_eq!(at(9, 3_000), Some(Fault::Hang));
    assert_eq!(at(10, 3_000), Some(Fault::Close));
    assert_eq!(at(11, 3_000), Some(Fault::Reset));
}

#[test]
fn shares_divide_one_draw_and_are_as_large_as_they_say() {
    let plan = plan("reset@5%; hang@10%; close@0.5%").with_seed(7);
    // Four standard deviations of a binomial count.
    for (fault, expected, slack) in
        [(Fault::Reset, 5_000, 276), (Fault::Hang, 10_000, 380), (Fault::Close, 500, 90)]
    {
        let count = strikes(&plan, &fault);
        assert!(count.abs_diff(expected) <= slack, "{fault:?}: {count}");
    }
}

#[test]
fn whole_shares_leave_nothing_out_and_empty_ones_strike_nothing() {
    assert_eq!(
        strikes(&plan("hang@0%; reset@60%; reset@40%").with_seed(3), &Fault::Reset),
        100_000
    );
    assert_eq!(strikes(&plan("reset@0%").with_seed(3), &Fault::Reset), 0);
}

#[test]
fn a_server_error_is_each_of_its_statuses() {
    let plan = plan("5xx@100%").with_seed(1);
    for status in [500, 502, 503, 504] {
        let count = strikes(&plan, &Fault::status(status));
        assert!(count.abs_diff(25_000) < 600, "{status}: {count}");
    }
}

#[test]
fn a_rule_keeps_to_its_path_and_tokens_are_left_alone() {
    let plan = plan("503@#1 path=/flights; reset@#1 path=/token; hang@#1");
    let first = |path| plan.decide(path, 1, START);
    assert_eq!(first("/flights/7"), Some(Fault::status(503)));
    assert_eq!(first("/token"), Some(Fault::Reset));
    assert_eq!(first("/airports"), Some(Fault::Hang));
    assert_eq!(self::plan("hang@100%").decide("/token", 1, START), None);
}

proptest! {
    // Kills a decision that looks at anything but its arguments, and one that ignores the seed.
    #[test]
    fn the_same_question_has_the_same_answer(seed: u64, number in 1..u64::MAX, millis in 0..10_000_u64) {
        let plan = plan("503@1s-2s; reset@30%; 5xx@30%").with_seed(seed);
        let elapsed = Duration::from_millis(millis);
        let first = plan.decide("/airports", number, elapsed);
        prop_assert_eq!(&first, &plan.clone().decide("/airports", number, elapsed));
        let window = (1_000..2_000).contains(&millis);
        prop_assert!(!window || first == Some(Fault::status(503)));
    }

    #[test]
    fn seeds_differ_in_what_they_strike(seed in 0..u64::MAX) {
        let struck = |seed| -> Vec<bool> {
            let plan = plan("reset@50%").with_seed(seed);
            (1..=64).map(|number| plan.decide("/airports", number, START).is_some()).collect()
        };
        prop_assert_ne!(struck(seed), struck(seed + 1));
    }

    #[test]
    fn any_text_is_a_plan_or_an_error(text in ".{0,60}", rule in "[0-9a-z]{1,6}@[#0-9a-z.%-]{0,8}( [a-z-]{1,8}=[\"a-z0-9;\\\\]{0,6})?") {
        let _ = text.parse::<FaultPlan>();
        let _ = rule.parse::<FaultPlan>();
    }
}
