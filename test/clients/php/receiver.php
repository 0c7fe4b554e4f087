<?php

/** Receives notifications and checks their signatures. Run it with `php -S 127.0.0.1:8000 receiver.php`. */

require __DIR__ . '/autoload.php';

use Paywright\Model\PaymentNotification;
use Paywright\Model\RefundNotification;
use Paywright\ObjectSerializer;

/** Standard Webhooks: an HMAC-SHA256 of id, time and body. During a rotation there are two signatures. */
function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $secret = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** Store the message here, and work after the answer. */
function handle(object $message): void
{
    if (!str_starts_with($message->type, 'payment.')) {
        return;
    }
    $isRefund = $message->type === 'payment.partially_refunded';
    $class = $isRefund ? RefundNotification::class : PaymentNotification::class;
    $notification = ObjectSerializer::deserialize($message, $class);
    $id = $notification->getData()->getPaymentRequest()->getId();
    file_put_contents('php://stdout', "{$notification->getType()} $id\n");
}

$body = file_get_contents('php://input');
if (!isSigned($body)) {
    http_response_code(401);
    return;
}
handle(json_decode($body));
http_response_code(204);
