// Package orders has the pages of placed orders and their missions. All pages show data of the cache.
//
// [HomePage] lists what the user should look at next: quotes to decide, late missions, changes, the next flights,
// and data to download. Each line opens the page for it. [OrderList] and [OrderPage] show placed orders, and
// cancel, reject and archive them through [page.HeldChange]. [MissionList] shows the missions of all orders as a
// list, on a map and in a calendar. [MissionPage] shows one mission with its planning, permission, deliveries and
// callbacks.
package orders
