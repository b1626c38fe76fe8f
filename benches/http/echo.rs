//! The yardstick of `benches/http/run.sh`: a bare actix handler that parses the body of a replay and
//! echoes it, with nothing else around it.

use actix_web::{App, HttpServer, web};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Request {
    position: Position,
}

#[derive(Serialize, Deserialize)]
struct Position {
    rule: String,
    size: u8,
    moves: Vec<String>,
}

async fn echo(request: web::Json<Request>) -> web::Json<Request> {
    request
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:8090".into());
    HttpServer::new(|| App::new().route("/v1/replays", web::post().to(echo)))
        .workers(1)
        .bind(address)?
        .run()
        .await
}
