//! Starts servers and asks them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Request};

/// How long an answer may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A directory of a test's own, removed when the last server in it is gone.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new() -> Arc<Directory> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "http-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Arc::new(Directory(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn database_url(&self) -> String {
        format!("sqlite://{}/games.db", self.0.display())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left behind is under `target`; it fails no test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program with these arguments and none of the caller's settings.
pub fn tengen(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TENGEN_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A running server; killed when dropped. Asked through its [`Client`].
pub struct Server {
    child: Child,
    // Held open: the program must be able to go on writing.
    _stdout: BufReader<ChildStdout>,
    client: Client,
    directory: Arc<Directory>,
}

impl Server {
    /// A server with an empty database of its own.
    pub fn start() -> Server {
        Server::start_in(Directory::new(), &[])
    }

    /// A server with an empty database of its own and more arguments.
    pub fn start_with(arguments: &[&str]) -> Server {
        Server::start_in(Directory::new(), arguments)
    }

    /// A server on the database in a directory.
    pub fn start_in(directory: Arc<Directory>, arguments: &[&str]) -> Server {
        let url = directory.database_url();
        let mut command = tengen(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url]);
        command.args(arguments);
        Server::run(command, directory)
    }

    /// The server that a command starts; its log goes into the directory.
    pub fn run(mut command: Command, directory: Arc<Directory>) -> Server {
        let log = File::options()
            .create(true)
            .append(true)
            .open(directory.path().join("log.txt"))
            .unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let Some(address) = line.trim_end().strip_prefix("Tengen listens on http://") else {
            let _ = child.kill();
            let log = fs::read_to_string(directory.path().join("log.txt"));
            panic!("the server said {line:?}, and its log {log:?}");
        };
        Server {
            child,
            _stdout: stdout,
            client: Client::new(address.to_owned()),
            directory,
        }
    }

    /// The directory, for a second server on the same database.
    pub fn directory(&self) -> Arc<Directory> {
        self.directory.clone()
    }

    /// The number of the server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log.txt")).unwrap()
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name, as `TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("sh")
            .args(["-c", &format!("kill -{name} {}", self.id())])
            .status()
            .unwrap();
        assert!(status.success(), "the signal {name} could not be sent");
    }

    /// A process that ends the server when the tests end, in whatever way: what is static is never
    /// dropped. It waits for the other end of its standard input to close.
    fn guard(&self) -> Child {
        Command::new("sh")
            .args(["-c", "cat; kill -9 $0; rm -rf \"$1\""])
            .arg(self.id().to_string())
            .arg(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Waits for the server to end by itself.
    pub fn wait(mut self, patience: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                started.elapsed() < patience,
                "the server still runs after {patience:?}"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the server as an operator does.
    pub fn stop(self) {
        self.signal("TERM");
        assert_eq!(self.wait(PATIENCE).code(), Some(0));
    }

    /// Ends the server without giving it a chance.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// A server for all tests that keep no games.
pub fn shared() -> Arc<Server> {
    static SERVER: LazyLock<(Arc<Server>, Child)> = LazyLock::new(|| {
        let server = Server::start();
        let guard = server.guard();
        (Arc::new(server), guard)
    });
    SERVER.0.clone()
}

/// An answer, whatever its status.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The target of a page's link to the next one.
    pub fn next_link(&self) -> Option<String> {
        let link = self.header("link")?;
        let (target, rest) = link.strip_prefix('<').unwrap().split_once('>').unwrap();
        assert!(rest.contains("rel=\"next\""), "{link}");
        Some(target.to_owned())
    }

    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {:?}", self.status, self.text()))
    }

    /// The JSON of an answer that must have this status.
    #[track_caller]
    pub fn json_of(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// The JSON of a good answer.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.json_of(200)
    }

    /// The problem of a bad answer, with all members that every error has.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        match self.check_problem(status, code) {
            Ok(problem) => problem,
            Err(what) => panic!("{what}: {} {}", self.status, self.text()),
        }
    }

    /// The problem of a bad answer, or what is wrong with it.
    pub fn check_problem(&self, status: u16, code: &str) -> Result<Value, String> {
        let demand = |is_so: bool, what: &str| is_so.then_some(()).ok_or_else(|| what.to_owned());
        demand(self.status == status, &format!("not a {status}"))?;
        demand(
            self.header("content-type") == Some("application/problem+json"),
            "not application/problem+json",
        )?;
        let problem: Value = serde_json::from_slice(&self.body).map_err(|e| e.to_string())?;
        demand(
            problem["code"] == code,
            &format!("the code is not {code:?}"),
        )?;
        demand(problem["status"] == status, "another status in the body")?;
        for member in ["type", "title", "detail", "request_id"] {
            let is_told = problem[member]
                .as_str()
                .is_some_and(|text| !text.is_empty());
            demand(is_told, &format!("no {member}"))?;
        }
        demand(
            problem["request_id"].as_str() == self.header("x-request-id"),
            "the request id is not that of the header",
        )?;
        let kind = problem["type"].as_str().unwrap_or("");
        demand(
            kind.ends_with(&format!("/v1/problems/{code}")),
            "the type is not the code's page",
        )?;
        let errors = problem["errors"].as_array().ok_or("no list of errors")?;
        demand(errors.len() <= 20, "more than twenty errors")?;
        for error in errors {
            for member in ["pointer", "code", "detail"] {
                demand(
                    error[member].is_string(),
                    &format!("an error without {member}"),
                )?;
            }
        }
        for word in [
            "struct", "Raw", "None", "Some(", "Err(", "panicked", "sqlx", "serde", ".rs",
        ] {
            demand(
                !self.text().contains(word),
                &format!("internal text leaks: {word:?}"),
            )?;
        }
        Ok(problem)
    }

    /// Places and codes of the faults that a problem tells.
    #[track_caller]
    pub fn faults(&self, status: u16, code: &str) -> Vec<(String, String)> {
        faults_of(&self.problem(status, code))
    }
}

/// Places and codes of the faults in a problem.
pub fn faults_of(problem: &Value) -> Vec<(String, String)> {
    let text = |error: &Value, member: &str| error[member].as_str().unwrap().to_owned();
    let errors = problem["errors"].as_array().unwrap().iter();
    errors
        .map(|error| (text(error, "pointer"), text(error, "code")))
        .collect()
}

/// Each of these queries of a path is refused with its status and code, and at its place alone.
#[track_caller]
pub fn assert_refused(client: &Client, path: &str, queries: &[(&str, u16, &str, &str)]) {
    let mut wrong = Vec::new();
    for (query, status, code, place) in queries {
        let answer = client.get(&format!("{path}?{query}"));
        let told = answer.check_problem(*status, code);
        let told = told.map(|problem| faults_of(&problem));
        if told != Ok(vec![((*place).to_owned(), (*code).to_owned())]) {
            wrong.push(format!("{query}: {told:?} {}", answer.text()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Asks one server. Its methods are the endpoints.
pub struct Client {
    address: String,
    agent: Agent,
}

impl Client {
    fn new(address: String) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_global(Some(PATIENCE));
        Client {
            address,
            agent: config.build().into(),
        }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn replay(&self, body: &Value) -> Answer {
        self.post("/v1/replays", body)
    }

    pub fn legal_moves(&self, body: &Value) -> Answer {
        self.post("/v1/legal-moves", body)
    }

    pub fn threats(&self, body: &Value) -> Answer {
        self.post("/v1/threats", body)
    }

    pub fn hint(&self, body: &Value) -> Answer {
        self.post("/v1/hints", body)
    }

    pub fn analyse(&self, body: &Value) -> Answer {
        self.post("/v1/analyses", body)
    }

    pub fn prove(&self, body: &Value) -> Answer {
        self.post("/v1/proofs", body)
    }

    pub fn check_proof(&self, certificate: &Value) -> Answer {
        self.post("/v1/proof-checks", certificate)
    }

    pub fn defences(&self, body: &Value) -> Answer {
        self.post("/v1/defences", body)
    }

    /// The certificate that a link leads to, which must be a proof.
    #[track_caller]
    pub fn proof_of(&self, link: &Value) -> Value {
        let href = link["href"].as_str().unwrap();
        assert_eq!(href, format!("/v1/proofs/{}", link["id"].as_str().unwrap()));
        let certificate = self.get(href).ok();
        let checked = self.check_proof(&certificate).ok();
        assert_eq!(checked["valid"], true, "{checked} {certificate}");
        assert_eq!(checked["id"], link["id"]);
        certificate
    }

    pub fn review(&self, body: &Value) -> Answer {
        self.post("/v1/reviews", body)
    }

    /// A number in the metrics by its name, labels and all.
    #[track_caller]
    pub fn metric(&self, name: &str) -> f64 {
        let metrics = self.get("/metrics");
        let mut values = metrics.text().lines().filter_map(|line| {
            let value = line.strip_prefix(name)?.strip_prefix(' ')?;
            value.parse().ok()
        });
        values
            .next()
            .unwrap_or_else(|| panic!("no metric {name}: {}", metrics.text()))
    }

    /// Waits for something to become so.
    #[track_caller]
    pub fn until(&self, what: &str, is_so: impl Fn(&Client) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            assert!(started.elapsed() < PATIENCE, "never: {what}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn keep_game(&self, body: &Value) -> Answer {
        self.post("/v1/games", body)
    }

    pub fn game(&self, id: &str) -> Answer {
        self.get(&format!("/v1/games/{id}"))
    }

    /// A page of games; the query goes without its question mark.
    pub fn games(&self, query: &str) -> Answer {
        self.get(&format!("/v1/games?{query}"))
    }

    pub fn meta(&self) -> Answer {
        self.get("/v1/meta")
    }

    /// Asks for a computation by POST and by its GET twin, which must answer with the same octets.
    #[track_caller]
    pub fn computed(&self, path: &str, body: &Value) -> Answer {
        let posted = self.post(path, body);
        let query = query_of(body);
        let got = self.get(&format!("{path}?{query}"));
        assert_eq!(got.status, posted.status, "{query}: {}", got.text());
        assert_eq!(got.text(), posted.text(), "{query}");
        posted
    }

    pub fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[], b"")
    }

    pub fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", target, headers, b"")
    }

    pub fn post(&self, target: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send("POST", target, &headers, body.to_string().as_bytes())
    }

    /// Sends any request that the client library can send.
    #[track_caller]
    pub fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{target}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = if body.is_empty() && method != "POST" {
            self.agent.run(request.body(()).unwrap())
        } else {
            self.agent.run(request.body(body).unwrap())
        };
        let (head, mut body) = answer
            .unwrap_or_else(|error| panic!("{method} {target}: {error}"))
            .into_parts();
        Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.read_to_vec().unwrap(),
        }
    }

    /// Sends a JSON text on a connection of its own; none when the server is gone before it answers.
    pub fn try_post(&self, target: &str, body: &str) -> Option<Answer> {
        let headers = [("Content-Type", "application/json")];
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream
            .write_all(&request(
                "POST",
                target.as_bytes(),
                &headers,
                body.as_bytes(),
            ))
            .ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        (!answer.is_empty()).then(|| read_answer(&mut answer.as_slice()))
    }

    /// A connection for what no client library sends.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends octets as they are and reads one answer.
    #[track_caller]
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early may close before it has read everything; its answer counts.
        let _ = stream.write_all(request);
        read_answer(&mut BufReader::new(stream))
    }
}

/// A request as octets, to be sent on a connection of its own.
pub fn request(method: &str, target: &[u8], headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    octets.extend_from_slice(method.as_bytes());
    octets.push(b' ');
    octets.extend_from_slice(target);
    octets.extend_from_slice(b" HTTP/1.1\r\nHost: tengen.test\r\nConnection: close\r\n");
    for (name, value) in headers {
        octets.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    if !body.is_empty() || method == "POST" {
        octets.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    octets.extend_from_slice(b"\r\n");
    octets.extend_from_slice(body);
    octets
}

/// Reads one answer with a body of a told length, or up to the end of the connection.
#[track_caller]
pub fn read_answer(stream: &mut impl BufRead) -> Answer {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no status line but {line:?}"));
    let mut headers = HeaderMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value.trim()).unwrap(),
        );
    }
    let length = headers
        .get("content-length")
        .map(|length| length.to_str().unwrap().parse().unwrap());
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length, 0);
            stream.read_exact(&mut body).unwrap();
        }
        None => {
            stream.read_to_end(&mut body).unwrap();
        }
    }
    Answer {
        status,
        headers,
        body,
    }
}

/// A body with a bound on the search that leaves nothing to the clock.
pub fn bounded(mut body: Value, nodes: u64) -> Value {
    body["limits"] = json!({ "nodes": nodes });
    body
}

/// The query that stands for a body: the position's members and the endpoint's own, side by side.
pub fn query_of(body: &Value) -> String {
    let mut pairs = Vec::new();
    for (name, value) in body.as_object().unwrap() {
        match value {
            Value::Object(members) => {
                pairs.extend(members.iter().map(|(name, value)| pair(name, value)));
            }
            value => pairs.push(pair(name, value)),
        }
    }
    pairs.join("&")
}

fn pair(name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| item.as_str().unwrap()).collect();
            items.join(if name == "board" { "/" } else { "" })
        }
        other => other.to_string(),
    };
    format!("{name}={}", encode(&text))
}

/// A text as it stands in a query.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The texts of a JSON list.
#[track_caller]
pub fn texts(list: &Value) -> Vec<&str> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    items.iter().map(|item| item.as_str().unwrap()).collect()
}

/// The same, sorted.
#[track_caller]
pub fn sorted(list: &Value) -> Vec<&str> {
    let mut items = texts(list);
    items.sort_unstable();
    items
}
