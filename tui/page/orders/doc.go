// Package orders has the pages of placed orders: their list, and one of them.
package orders
