<?php

/** Pays by card, refunds a part, and reads why a card was declined. */

require __DIR__ . '/autoload.php';

use Paywright\Api\PaymentRequestsApi;
use Paywright\Api\PaymentsApi;
use Paywright\ApiException;
use Paywright\Configuration;
use Paywright\Model\H2hOrder;
use Paywright\Model\PaymentRequestStatus;
use Paywright\Model\Refund;

$config = (new Configuration())->setHost(getenv('GATEWAY_URL'))->setApiKey('X-API-Key', getenv('API_KEY'));
// Without this header, the text OK is the whole answer of a call that succeeds.
$http = new GuzzleHttp\Client(['headers' => ['Accept' => 'application/json']]);
$payments = new PaymentsApi($http, $config);
$paymentRequests = new PaymentRequestsApi($http, $config);

function order(string $number): H2hOrder
{
    return new H2hOrder([
        'name' => 'Ines Duarte',
        'email' => 'ines.duarte@shop.example',
        'phone_number' => '+351912345678',
        'address' => 'Rua Augusta 12',
        'city' => 'Lisboa',
        'state' => 'LX',
        'postal_code' => '1100-053',
        'country' => 'PT',
        'number' => $number,
        'expiration' => '12/39',
        'cvv' => '737',
        'amount' => 25.90,
        'unit' => 'EUR',
        'notify_url' => getenv('NOTIFY_URL'),
    ]);
}

// Keep the key with the order, and send the same key when you repeat the call: the payer then pays once.
function newKey(): string
{
    return bin2hex(random_bytes(16));
}

$paid = $payments->payH2h(11, order('4111111111111111'), newKey())->getPaymentRequest();
if ($paid->getPaymentRequestStatusId() !== PaymentRequestStatus::PAID) {
    throw new RuntimeException('the payment is not paid: ' . $paid->getPaymentRequestStatusId());
}
echo 'paid ', $paid->getId(), "\n";

$refunded = $paymentRequests
    ->refund($paid->getId(), newKey(), refund: new Refund(['amount' => 5.10]))
    ->getPaymentRequest();
[$part] = $refunded->getRefunds();
// The refund may be pending. A notification then reports its result.
echo 'refunds ', $part->getAmount(), ' left ', $refunded->getRefundableAmount(), "\n";

try {
    $payments->payH2h(11, order('4000000000009995'), newKey());
} catch (ApiException $declined) {
    $problem = $declined->getResponseObject();
    echo 'declined ', $problem->getCode(), ' ', $problem->getDetails()->getDeclineCode(), "\n";
}
