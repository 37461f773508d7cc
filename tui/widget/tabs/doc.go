// Package tabs draws a line of titles of which one is chosen. It knows nothing
// of what lies behind them.
package tabs
