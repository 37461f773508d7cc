package theme

import "image/color"

// rampStops are the colours of measured values, from the lowest to the highest:
// dark to bright, so that they can be told apart without their hues.
var rampStops = []color.RGBA{{68, 1, 84, 255}, {59, 82, 139, 255}, {33, 145, 140, 255}, {94, 201, 98, 255}, {253, 231, 37, 255}}

// RampColor returns the colour of a value, 0 for the lowest to 1 for the highest.
func RampColor(share float64) color.RGBA {
	at := max(0, min(1, share)) * float64(len(rampStops)-1)
	i := min(int(at), len(rampStops)-2)
	a, b, part := rampStops[i], rampStops[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + part*(float64(y)-float64(x))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
