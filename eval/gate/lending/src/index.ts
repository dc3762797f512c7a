export { Catalog } from './catalog/catalog';
export { MemberRegistry } from './members/registry';
export { checkout } from './loans/checkout';
export { renewLoan } from './loans/renewal';
export { acceptReturn } from './loans/returnDesk';
export { HoldQueue } from './holds/queue';
