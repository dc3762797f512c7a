import { readConfig } from './config';

/** Refuses addresses inside the own network and hosts that are not on the list. */
export function isAllowedTarget(url: string): boolean {
  const host = new URL(url).hostname;
  if (/^(localhost|127\.|10\.|192\.168\.)/.test(host)) return false;
  const { allowedHosts } = readConfig();
  return allowedHosts.length === 0 || allowedHosts.includes(host);
}
