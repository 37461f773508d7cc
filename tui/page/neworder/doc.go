// Package neworder has the page that creates an order from survey files in four steps: files, sites,
// details and review. The input is saved as a draft until the service has confirmed the order.
package neworder
