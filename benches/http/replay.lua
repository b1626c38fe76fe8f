-- The body of every request: the first 40 stones of a freestyle game between engines.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"position":{"rule":"freestyle","size":15,"moves":["h8","g7","f8","i8","f7","f9","g9","i7","h10","i11","e8","g8","e10","e7","g6","d9","j5","h5","i9","g11","f10","g10","h11","h9","j7","e11","j4","j6","f11","g13","g12","f13","h13","i14","j10","h14","f12","j11","k11","l12"]}}'
