// Package orders follows what was ordered. [HomePage] has what needs a decision, what
// is late, what moved, what flies next and what is to be fetched, each a way to where
// that is done. [OrderList] and [OrderPage] show placed orders and send cancellations,
// rejections and archivings through [page.HeldChange]; [MissionList] shows the
// missions of all orders as a list, on a map and in a calendar, [MissionPage] one with
// its planning, permission, deliveries and callbacks. All read the cache.
package orders
