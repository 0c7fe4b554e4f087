"""Pays by card, refunds a part, and reads why a card was declined."""

import os
import uuid

from paywright import AuthenticatedClient
from paywright.api.payment_requests import refund
from paywright.api.payments import pay_h2_h
from paywright.models import CardOrder, PaymentAnswer, PaymentRequestStatus, Problem, Refund

client = AuthenticatedClient(
    base_url=os.environ["GATEWAY_URL"],
    token=os.environ["API_KEY"],
    auth_header_name="X-API-Key",
    prefix="",
    # Without this header, the text OK is the whole answer of a call that succeeds.
    headers={"Accept": "application/json"},
)


def order(number: str) -> CardOrder:
    return CardOrder(
        name="Ines Duarte",
        email="ines.duarte@shop.example",
        phone_number="+351912345678",
        address="Rua Augusta 12",
        city="Lisboa",
        state="LX",
        postal_code="1100-053",
        country="PT",
        number=number,
        expiration="12/39",
        cvv="737",
        amount=25.90,
        unit="EUR",
        notify_url=os.environ["NOTIFY_URL"],
    )


# Keep the key with the order, and send the same key when you repeat the call: the payer then pays once.
paid = pay_h2_h.sync(11, client=client, body=order("4111111111111111"), idempotency_key=str(uuid.uuid4()))
assert isinstance(paid, PaymentAnswer)
assert paid.payment_request.payment_request_status_id == PaymentRequestStatus.PAID
print("paid", paid.payment_request.id)

refunded = refund.sync(
    paid.payment_request.id, client=client, body=Refund(amount=5.10), idempotency_key=str(uuid.uuid4())
)
assert isinstance(refunded, PaymentAnswer)
[part] = refunded.payment_request.refunds
# The refund may be pending. A notification then reports its result.
print("refunds", part.amount, "left", refunded.payment_request.refundable_amount)

declined = pay_h2_h.sync(11, client=client, body=order("4000000000009995"), idempotency_key=str(uuid.uuid4()))
assert isinstance(declined, Problem)
print("declined", declined.code, declined.details.decline_code)
