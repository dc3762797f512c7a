/** Stops taking work, waits for what is in flight up to a deadline, then runs the closers in reverse. */
export async function drain(
  inFlight: () => number,
  closers: Array<() => Promise<void>>,
  pause: () => Promise<void>,
  maxPauses: number,
): Promise<boolean> {
  for (let i = 0; i < maxPauses && inFlight() > 0; i++) await pause();
  const isDrained = inFlight() === 0;
  for (const close of [...closers].reverse()) await close();
  return isDrained;
}
