/** Runs jobs at their time; the earliest first. */
export class Scheduler {
  private jobs: Array<{ at: number; run: () => void }> = [];

  schedule(at: number, run: () => void): () => void {
    const job = { at, run };
    this.jobs.push(job);
    this.jobs.sort((a, b) => a.at - b.at);
    return () => {
      this.jobs = this.jobs.filter((other) => other !== job);
    };
  }

  tick(now: number): void {
    while (this.jobs[0] && this.jobs[0].at <= now) this.jobs.shift()?.run();
  }
}
