class Session {
  static get
  token() {
    return "t";
  }
  renew/* now */() {
    return 1;
  }
  async
  close() {
    return 2;
  }
}
