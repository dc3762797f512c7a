const normalizeEmail = (raw) => raw.trim().toLowerCase();
export const fetchAccount = async (id) => {
  return normalizeEmail(id);
};
export const accountApi = {
  read: async (id) => fetchAccount(id),
  remove(id) {
    return id;
  },
  limits: { perMinute: 60 },
};
export let retryDelay = function backoff(attempt) {
  return 2 ** attempt;
};
