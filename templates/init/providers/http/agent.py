"""A stand-in for your agent, behind HTTP: it takes {"messages": [...]} and answers {"message": "..."}."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from talk import reply

PORT = int(os.environ.get("PORT", "8787"))


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.say(reply(request["messages"]))

    def do_GET(self):  # for those who wait until it is up
        self.say("ready")

    def say(self, text):
        body = json.dumps({"message": text}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # one line for each request is too much


server = ThreadingHTTPServer(("localhost", PORT), Agent)
print(f"the agent listens on http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
