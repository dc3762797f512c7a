import { Throttle } from '../src/throttle';

describe('Throttle', () => {
  it('refuses calls above the limit until the window is over', () => {
    const throttle = new Throttle(1, 1000);
    expect(throttle.tryAcquire(1000)).toBe(true);
    expect(throttle.tryAcquire(1500)).toBe(false);
    expect(throttle.tryAcquire(2000)).toBe(true);
  });
});
