import type { Dispatcher } from '../../core/src/dispatcher';
import type { BoundedQueue } from '../../core/src/queue';
import { readConfig } from './config';
import { verifySignature } from './signature';

export type WebhookReply = { status: 202 | 401 | 413 | 503 };

/** Takes what a peer posts and puts it on the queue; refuses forged, oversized and excess bodies. */
export function receiveWebhook(
  queue: BoundedQueue,
  _dispatcher: Dispatcher,
  request: { topic: string; body: Uint8Array; signature: string; id: string },
  secret: string,
): WebhookReply {
  if (request.body.length > readConfig().maxBodyBytes) return { status: 413 };
  if (!verifySignature(request.body, secret, request.signature)) return { status: 401 };
  const taken = queue.offer({ id: request.id, topic: request.topic, body: request.body, headers: {}, attempts: 0 });
  return { status: taken ? 202 : 503 };
}
