export import Legacy = require("./legacy");
export abstract class Endpoint {
  constructor(protected readonly url: URL, public retries = 3) {}
}
export declare const VERSION: unique symbol;
type Getters<T> = { readonly [K in keyof T as `get${string & K}`]-?: () => T[K] };
export function assertOk(v: unknown): asserts v is string {}
