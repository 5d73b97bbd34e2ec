-- Has wrk send a body, which is in the environment.
wrk.method = "POST"
wrk.body = os.getenv("BODY")
