import type { BoundedQueue } from '../../core/src/queue';

export type Health = 'ok' | 'degraded' | 'down';

/** Whether the process should get traffic: a backlog degrades it. */
export function healthOf(queue: BoundedQueue, backlogLimit: number, isStoreReachable: boolean): Health {
  if (!isStoreReachable) return 'down';
  return queue.size > backlogLimit ? 'degraded' : 'ok';
}
