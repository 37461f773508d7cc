// Package orders shows placed orders: [OrderList] all of them, [OrderPage] one with its
// missions. Both read the cache, open the pages of missions and quotes, and send
// cancellations, rejections and archivings through [page.HeldChange].
package orders
