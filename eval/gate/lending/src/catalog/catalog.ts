import type { Book, Copy } from './book';
import { normalizeIsbn } from './isbn';

/** All books of the library with their copies. */
export class Catalog {
  private readonly books = new Map<string, Book>();
  private readonly copies = new Map<string, Copy>();

  addBook(book: Book): void {
    this.books.set(normalizeIsbn(book.isbn), book);
  }

  addCopy(copy: Copy): void {
    this.copies.set(copy.barcode, copy);
  }

  findCopy(barcode: string): Copy | undefined {
    return this.copies.get(barcode);
  }

  copiesOf(isbn: string): Copy[] {
    const wanted = normalizeIsbn(isbn);
    return [...this.copies.values()].filter((copy) => normalizeIsbn(copy.isbn) === wanted);
  }

  allBooks(): Book[] {
    return [...this.books.values()];
  }
}
