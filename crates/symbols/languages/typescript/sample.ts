/*
 * Sample of the outline tests: a small lending library.
 */

import { EventEmitter } from "node:events";
import type { Clock, Money as Amount } from "./money";
import * as store from "./store";
import legacy = require("./legacy");

export * from "./shelf";
export { open as openCatalogue, default } from "./catalogue";

/** How many days a book may stay with a reader. */
export const LOAN_DAYS = 21;

const cache = new Map<string, Book>(),
  normalise = (isbn: string): string => isbn.replace(/[^0-9X]/g, "");

export const [firstShelf, ...otherShelves] = ["fiction", "science", "maps"] as const;

// What a reader can hold in hand.
// Kept apart from the catalogue entry.
export interface Book {
  readonly isbn: string;
  /** The title as printed on the cover. */
  title: string;
  authors?: string[];
  lend(reader: Reader, days?: number): Loan;
  get available(): boolean;
  (page: number): string;
  [extra: string]: unknown;
}

export type Loan = {
  book: Book;
  due: Date;
  extend(days: number): Loan;
};

type Keys<T> = { [K in keyof T as `get${string & K}`]: () => T[K] };

export enum Condition {
  New,
  Worn = "worn",
  /** Pages are missing. */
  "Beyond repair" = 9,
}

declare const build: string;
declare function announce(text: string): void;

export namespace Fees {
  const perDay = 0.25;

  export function late(days: number): Amount {
    return days * perDay;
  }

  export namespace Rounding {
    export class Half {}
  }
}

declare module "./store" {
  interface Options {
    strict: boolean;
  }
}

declare global {
  interface Window {
    library: Library;
  }
}

function Logged(target: unknown, key: string) {
  announce(`${key} of ${build}`);
}

/**
 * Lends books and takes them back.
 *
 * @example new Library(clock).find("3-16-148410-X")
 */
@Logged
export default abstract class Library extends EventEmitter {
  static #count = 0;
  static accessor motto = "silence";
  private readonly loans: Loan[] = [];
  declare branch: string;
  onReturn = (loan: Loan) => {
    this.emit("return", loan);
  };

  constructor(
    private readonly clock: Clock,
    public name = "Central",
  ) {
    super();
    Library.#count += 1;
  }

  /** Finds a book. */
  find(isbn: string): Book | undefined;
  find(isbn: string, shelf: string): Book | undefined;
  find(isbn: string, shelf = firstShelf): Book | undefined {
    const key = normalise(isbn);
    const fromShelf = () => store.read(shelf, key);
    function remember(book: Book) {
      cache.set(key, book);
      return book;
    }
    return cache.get(key) ?? remember(fromShelf());
  }

  @Logged
  @Logged
  async *overdue(): AsyncGenerator<Loan> {
    for (const loan of this.loans) if (loan.due < this.clock.now()) yield loan;
  }

  protected abstract close(): Promise<void>;

  get size(): number {
    return this.loans.length;
  }

  set size(value: number) {
    throw new Error(`cannot set ${value}`);
  }

  [Symbol.iterator]() {
    return this.loans[Symbol.iterator]();
  }
}

export const desk = {
  open: true,
  greet: (reader: Reader) => `Hello, ${reader.name}!`,
  queue: {
    async next() {
      const { take } = await import("./queue");
      return take(legacy);
    },
  },
} satisfies Record<string, unknown>;

class Reader {
  name
}

export { Reader };
