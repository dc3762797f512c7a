import { fineFor } from '../src/fines/fine';

describe('fineFor', () => {
  it('never charges more than the cap', () => {
    const loan = { barcode: 'b', cardNumber: 'c', checkedOutAt: new Date(0), dueAt: new Date(0), renewals: 0 };
    expect(fineFor(loan, new Date(86_400_000 * 1000))).toBe(800);
  });
});
