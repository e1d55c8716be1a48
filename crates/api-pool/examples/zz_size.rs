fn main() {
    let http = reqwest::Client::new();
    let client = api_pool::ResilientClient::builder().default_breaker().build();
    let policy = api_pool::CallPolicy::essential();
    let a = client.execute_with(&policy, |http| http.get("http://127.0.0.1/"));
    let b = http.get("http://127.0.0.1/").send();
    let c = client.execute_read(&policy, |http| http.get("http://127.0.0.1/"));
    let (cl, rq) = http.get("http://127.0.0.1/").build_split();
    let rq = rq.unwrap();
    println!(
        "execute request {} req {} resp {}",
        std::mem::size_of_val(&cl.execute(rq)),
        std::mem::size_of::<reqwest::Request>(),
        std::mem::size_of::<reqwest::Response>()
    );
    println!(
        "ours {} reqwest {} read {}",
        std::mem::size_of_val(&a),
        std::mem::size_of_val(&b),
        std::mem::size_of_val(&c)
    );
}
