export class Profile {
  nickname
  public var?: string
  public avatar?: string;
  public rename() {
    return this.nickname;
  }
}
