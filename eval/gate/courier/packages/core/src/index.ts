export * from './message';
export * from './queue';
export * from './dispatcher';
export * from './throttle';
export * from './breaker';
