// Package operations shows section 9: the queue of tasks, orders, accounts with their
// keys and endpoints, key requests, and the test controls of services that allow them.
// Data comes from [cache.OperationsCache]; changes are forms built from commands, sent
// by requestRunner. Read operationsPage first, then serviceWorld.
package operations
