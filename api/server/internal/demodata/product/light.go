package product

import (
	"math"
)

// wavelengths of the table of reflectances, nanometres.
var wavelengths = [...]float64{400, 480, 550, 620, 670, 710, 750, 850, 1000}

// reflectances of the covers at these wavelengths. Plants are given twice:
// withered, and in full vigour.
var (
	reflectances = [...][len(wavelengths)]float64{
		Water:    {.060, .065, .060, .040, .030, .025, .018, .012, .008},
		Meadow:   {.070, .100, .150, .170, .180, .210, .240, .270, .300},
		Crop:     {.080, .120, .180, .220, .240, .260, .280, .310, .340},
		Soil:     {.070, .100, .140, .190, .210, .225, .240, .280, .320},
		Road:     {.190, .220, .240, .255, .260, .265, .270, .280, .290},
		Roof:     {.090, .110, .150, .300, .330, .340, .345, .350, .360},
		Tree:     {.050, .070, .100, .120, .130, .160, .190, .220, .250},
		Mast:     {.350, .380, .400, .410, .410, .410, .410, .410, .400},
		Concrete: {.300, .340, .370, .390, .395, .400, .405, .410, .420},
	}
	green = [len(wavelengths)]float64{.025, .040, .090, .045, .032, .160, .400, .480, .470}
)

func (k GroundLook) plant() bool { return k.Cover == Meadow || k.Cover == Crop || k.Cover == Tree }

func (k GroundLook) node(i int) float64 {
	r := reflectances[k.Cover][i]
	if k.plant() {
		r += (green[i] - r) * k.vigour
		if k.Cover == Tree {
			r *= 0.72
		}
	}
	return r * k.tint
}

// Reflectance returns what share of light of a wavelength in nanometres comes
// back.
func (k GroundLook) Reflectance(nm float64) float64 {
	last := len(wavelengths) - 1
	if nm <= wavelengths[0] {
		return k.node(0)
	}
	for i := range last {
		if a, b := wavelengths[i], wavelengths[i+1]; nm <= b {
			low := k.node(i)
			return low + (k.node(i+1)-low)*(nm-a)/(b-a)
		}
	}
	return k.node(last)
}

// The wavelengths of the vegetation index, nanometres.
const (
	Red          = 670.0
	NearInfrared = 850.0
)

// NDVI returns the vegetation index, -1 to 1.
func (k GroundLook) NDVI() float64 {
	red, near := k.Reflectance(Red), k.Reflectance(NearInfrared)
	return (near - red) / (near + red)
}

// Celsius returns the temperature of the surface on a mild day.
func (k GroundLook) Celsius() float64 {
	t := [...]float64{Water: 14, Meadow: 24, Crop: 25, Soil: 33, Road: 36, Roof: 39, Tree: 19.5, Mast: 29, Concrete: 34}[k.Cover]
	return t - 5*k.vigour + 9*(k.light-1) + 6*(k.tint-1)
}

// colours turns linear light into the eight bits of a picture.
var colours = func() (c [2049]uint8) {
	for i := range c {
		v := min(1, float64(i)/2048)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		c[i] = uint8(v*255 + 0.5)
	}
	return c
}()

// Linear returns red, green and blue light, 0 to 1.
func (k GroundLook) Linear() [3]float64 {
	exposed := 1.7 * k.light
	return [3]float64{
		min(1, (0.6*k.node(3)+0.4*k.node(4))*exposed),
		min(1, k.node(2)*exposed),
		min(1, k.node(1)*exposed),
	}
}

// RGB returns the colour of a picture.
func (k GroundLook) RGB() (r, g, b uint8) {
	light := k.Linear()
	return EncodeLight(light[0]), EncodeLight(light[1]), EncodeLight(light[2])
}

// EncodeLight returns linear light, 0 to 1, as a value of a picture.
func EncodeLight(light float64) uint8 {
	return colours[int(min(max(light, 0), 1)*2048)]
}
