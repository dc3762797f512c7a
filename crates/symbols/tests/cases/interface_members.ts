export interface RateStore {
  readonly name: string;
  take(key: string, cost?: number): Promise<boolean>;
  onLimit?: (key: string) => void;
  (key: string): boolean;
  new (url: string): RateStore;
  [bucket: string]: unknown;
}
export type Quota = {
  limit: number;
  reset(): void;
};
