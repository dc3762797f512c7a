declare function createStore(): { read: () => number; write: () => void };
export const { read, write: persist } = createStore(),
  version = 3,
  bump = () => version + 1;
export const [first, ...others] = [1, 2, 3];
