/** A title of the library; its copies are what people take home. */
export interface Book {
  isbn: string;
  title: string;
  authors: string[];
  shelf: string;
}

/** One physical copy of a book, told apart by the barcode on its spine. */
export interface Copy {
  barcode: string;
  isbn: string;
  condition: 'new' | 'worn' | 'damaged';
}
