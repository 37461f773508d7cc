// Package neworder is the page that turns survey files into a placed order, in
// four steps: sites, missions, order, review. What is typed is kept as a draft
// until the order is seen on the service.
package neworder
