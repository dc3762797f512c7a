import type { Book } from './book';
import type { Catalog } from './catalog';

/** Books whose title or authors hold every term, without regard to accents or case. */
export function searchTitles(catalog: Catalog, query: string): Book[] {
  const terms = fold(query).split(' ').filter(Boolean);
  return catalog.allBooks().filter((book) => {
    const haystack = fold(`${book.title} ${book.authors.join(' ')}`);
    return terms.every((term) => haystack.includes(term));
  });
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{Diacritic}/gu, '').toLowerCase();
}
