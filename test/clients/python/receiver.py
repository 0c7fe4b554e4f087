"""Receives notifications and checks their signatures."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from paywright.models import PaymentNotification, RefundNotification
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            self.reply(401)
            return
        handle(json.loads(body))
        self.reply(204)

    def reply(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def handle(message: dict) -> None:
    """Store the message here, and work after the answer."""
    if message["type"] == "payment.partially_refunded":
        about_refund = RefundNotification.from_dict(message)
        print(about_refund.type_, about_refund.data.payment_request.id, flush=True)
    elif message["type"].startswith("payment."):
        about_payment = PaymentNotification.from_dict(message)
        print(about_payment.type_, about_payment.data.payment_request.id, flush=True)


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
