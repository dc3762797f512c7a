const normalizeEmail = (raw: string) => raw.trim().toLowerCase();
export const fetchAccount = async (id: string) => {
  return normalizeEmail(id);
};
export const accountApi = {
  read: async (id: string) => fetchAccount(id),
  remove(id: string) {
    return id;
  },
  limits: { perMinute: 60 },
};
export let retryDelay = function backoff(attempt: number) {
  return 2 ** attempt;
};
