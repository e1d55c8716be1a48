use super::*;

#[test]
fn requests_of_the_default_client_time_out_after_30_s_unless_told_otherwise() {
    let timeout = |builder: ResilientClientBuilder| builder.options.request_timeout;
    let minute = Duration::from_secs(60);

    assert_eq!(timeout(ResilientClient::builder()), Some(Duration::from_secs(30)));
    assert_eq!(timeout(ResilientClient::builder().request_timeout(minute)), Some(minute));
    assert_eq!(timeout(ResilientClient::builder().no_request_timeout()), None);
}

#[test]
fn a_probe_may_take_as_long_as_a_request_where_that_is_known() {
    let patience = |builder: ResilientClientBuilder| builder.build().inner.patience;
    let minutes = Duration::from_secs(120);
    assert_eq!(patience(ResilientClient::builder().request_timeout(minutes)), minutes);
    for unknown in [
        ResilientClient::builder().no_request_timeout(),
        ResilientClient::builder().request_timeout(Duration::MAX),
        ResilientClient::builder().request_timeout(minutes).http_client(reqwest::Client::new()),
    ] {
        assert_eq!(patience(unknown), PATIENCE);
    }
}
