use super::*;

#[test]
fn requests_of_the_default_client_time_out_after_30_s_unless_told_otherwise() {
    let timeout = |builder: ResilientClientBuilder| builder.options.request_timeout;
    let minute = Duration::from_secs(60);

    assert_eq!(timeout(ResilientClient::builder()), Some(Duration::from_secs(30)));
    assert_eq!(timeout(ResilientClient::builder().request_timeout(minute)), Some(minute));
    assert_eq!(timeout(ResilientClient::builder().no_request_timeout()), None);
}
