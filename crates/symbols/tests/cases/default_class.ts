export default class {
  run(): number {
    return 1;
  }
}
