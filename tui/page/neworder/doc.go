// Package neworder is the page that turns survey files into a placed order, in
// four steps: files, sites, details, review. What is typed is kept as a draft
// until the order is seen on the service.
package neworder
