//go:build gdal

package checking_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
)

// gdalRaster is a raster that GDAL makes in a format.
type gdalRaster struct {
	code      int        // EPSG
	transform [6]float64 // as GDAL writes it
	kind      string     // type of samples
	bands     int
	nodata    string // or "" for an alpha band
	options   []string
	overviews bool
	beside    bool   // overviews are in a file beside the raster
	profile   string // "mask" for an internal mask, "plain" for no mask at all
}

const (
	gdalWidth  = 3000
	gdalHeight = 2400
)

func northUp(x, y, pixel float64) [6]float64 { return [6]float64{x, pixel, 0, y, 0, -pixel} }

func rotated(x, y, pixel, degrees float64) [6]float64 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return [6]float64{x, pixel * cos, pixel * sin, y, pixel * sin, -pixel * cos}
}

// gdalRasters are files as processing programs write them, in five systems.
var gdalRasters = map[string]gdalRaster{
	"COG of JPEG with a mask": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Byte", bands: 3,
		options: []string{"-of", "COG", "-co", "COMPRESS=JPEG"},
	},
	"COG of deflate with alpha": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Byte", bands: 3,
		options: []string{"-of", "COG", "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=YES"},
	},
	"COG of LZW with heights": {
		code: 25832, transform: northUp(356000, 5650000, 0.2), kind: "Float32", bands: 1, nodata: "-9999",
		options: []string{
			"-of", "COG", "-co", "COMPRESS=LZW", "-co", "PREDICTOR=YES", "-co", "OVERVIEW_RESAMPLING=NEAREST",
			"-outsize", "6000", "4800",
		},
	},
	"deflated tiles in degrees": {
		code: 4326, transform: northUp(6.95, 50.92, 5e-6), kind: "UInt16", bands: 2, nodata: "0",
		options: []string{"-co", "TILED=YES", "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=2"},
	},
	"strips without compression": {
		code: 3857, transform: northUp(774000, 6600000, 0.7), kind: "Byte", bands: 1, nodata: "0",
	},
	"BigTIFF of LZW with alpha": {
		code: 32725, transform: northUp(200000, 9400000, 0.5), kind: "Byte", bands: 3,
		options: []string{"-co", "BIGTIFF=YES", "-co", "COMPRESS=LZW", "-co", "PREDICTOR=2"},
	},
	"PackBits of signed numbers": {
		code: 25832, transform: northUp(356000, 5650000, 1), kind: "Int16", bands: 1, nodata: "-9999",
		options: []string{"-co", "COMPRESS=PACKBITS"},
	},
	"internal mask with overviews": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Byte", bands: 3, profile: "mask", overviews: true,
		options: []string{"-co", "TILED=YES", "-co", "COMPRESS=DEFLATE"},
	},
	"overviews beside the raster": {
		code: 25832, transform: northUp(356000, 5650000, 0.2), kind: "Int16", bands: 1, nodata: "-9999", beside: true,
		options: []string{"-co", "TILED=YES", "-co", "COMPRESS=DEFLATE", "-outsize", "6000", "4800"},
	},
	"bands one after the other": {
		code: 32725, transform: northUp(200000, 9400000, 0.5), kind: "Byte", bands: 3,
		options: []string{"-co", "INTERLEAVE=BAND", "-co", "COMPRESS=DEFLATE", "-co", "TILED=YES"},
	},
	"rotated": {
		code: 32637, transform: rotated(745000, 255000, 0.5, 30), kind: "Float32", bands: 1, nodata: "-32768",
		options: []string{"-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=3", "-co", "TILED=YES"},
	},
	"big-endian with doubles": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Float64", bands: 1, nodata: "-9999",
		options: []string{"-co", "ENDIANNESS=BIG", "-co", "COMPRESS=DEFLATE"},
	},
	"sparse tiles": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Float32", bands: 1, nodata: "-1",
		options: []string{"-co", "TILED=YES", "-co", "SPARSE_OK=TRUE", "-co", "COMPRESS=LZW"},
	},
	"world file": {
		code: 32637, transform: northUp(745000, 255000, 0.5), kind: "Byte", bands: 3, profile: "plain",
		options: []string{"-co", "PROFILE=BASELINE", "-co", "TFW=YES"},
	},
}

// The covered share, the system and the resolution agree with GDAL's.
func TestRastersAgreeWithGDAL(t *testing.T) {
	t.Parallel()
	for name, r := range gdalRasters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := r.make(t, dir)
			area := r.area(t)
			want := gdalCoverage(t, dir, path, r.code, area)
			m := api.Mission{MissionCode: "MSN-1", MissionType: api.MissionArea, LocationMap: area}
			report := checkFile(t, m, path)
			if len(report.Findings) == 0 || report.Findings[0].Covered == nil {
				t.Fatalf("findings: %+v, files: %+v", report.Findings, report.Files)
			}
			got := *report.Findings[0].Covered
			if math.Abs(got-want) > 0.005 {
				t.Errorf("%.4f is covered, GDAL says %.4f", got, want)
			}
			if r.profile != "plain" && want > 0.8 {
				t.Errorf("the raster has no gap: GDAL says that %.4f is covered", want)
			}
			if text := fmt.Sprint(report.Files[0].Facts); !strings.Contains(text, fmt.Sprintf("EPSG:%d", r.code)) {
				t.Errorf("the system is not EPSG:%d: %s", r.code, text)
			}
		})
	}
}

// runGDAL runs a program of GDAL.
func runGDAL(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(input)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, faults.String())
	}
	return string(out)
}

// isValid is the valid part of the rasters: a lobed blob with a hole.
func isValid(x, y int) bool {
	u := (float64(x) - gdalWidth*0.48) / (gdalWidth * 0.42)
	v := (float64(y) - gdalHeight*0.5) / (gdalHeight * 0.45)
	inBlob := math.Hypot(u, v) < 0.8+0.15*math.Sin(5*math.Atan2(v, u))
	inHole := math.Hypot(float64(x)-gdalWidth*0.6, float64(y)-gdalHeight*0.4) < 0.08*gdalWidth
	return inBlob && !inHole
}

// make makes the raster with GDAL, from raw bytes, and returns its path.
func (r *gdalRaster) make(t *testing.T, dir string) string {
	t.Helper()
	bands := r.bands
	if r.nodata == "" && r.profile != "plain" {
		bands++
	}
	var raw bytes.Buffer
	for band := range bands {
		for y := range gdalHeight {
			for x := range gdalWidth {
				raw.WriteByte(r.value(band, x, y))
			}
		}
	}
	write(t, filepath.Join(dir, "base.raw"), raw.Bytes())
	// The raw bytes are 0 where there is no data; the table gives them the nodata value.
	var vrt strings.Builder
	fmt.Fprintf(&vrt, `<VRTDataset rasterXSize="%d" rasterYSize="%d"><SRS>EPSG:%d</SRS><GeoTransform>%s</GeoTransform>`,
		gdalWidth, gdalHeight, r.code, strings.Trim(strings.ReplaceAll(fmt.Sprint(r.transform), " ", ","), "[]"))
	for band := range bands {
		colour := []string{"Red", "Green", "Blue", "Alpha"}[band]
		if r.bands < 3 {
			colour = "Gray"
		}
		fmt.Fprintf(&vrt, `<VRTRasterBand dataType="Byte" band="%d" subClass="VRTRawRasterBand">`+
			`<ColorInterp>%s</ColorInterp><SourceFilename relativetoVRT="1">base.raw</SourceFilename>`+
			`<ImageOffset>%d</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>%d</LineOffset></VRTRasterBand>`,
			band+1, colour, band*gdalWidth*gdalHeight, gdalWidth)
	}
	vrt.WriteString(`</VRTDataset>`)
	base := filepath.Join(dir, "base.vrt")
	write(t, base, []byte(vrt.String()))
	if r.nodata != "" {
		base = r.withNoData(t, dir, base)
	}
	path := filepath.Join(dir, "raster.tif")
	args := append([]string{"-q", "--config", "GDAL_TIFF_INTERNAL_MASK", "YES", "--config", "GDAL_PAM_ENABLED", "NO"}, r.options...)
	if r.profile == "mask" {
		args = append(args, "-b", "1", "-b", "2", "-b", "3", "-mask", "4")
	}
	runGDAL(t, "", "gdal_translate", append(args, base, path)...)
	if r.overviews {
		runGDAL(t, "", "gdaladdo", "-q", "-r", "nearest", path, "2", "4", "8")
	}
	if r.beside {
		runGDAL(t, "", "gdaladdo", "-q", "-ro", "-r", "nearest", path, "2", "4")
	}
	if r.profile == "plain" {
		write(t, strings.TrimSuffix(path, ".tif")+".prj", []byte(runGDAL(t, "", "gdalsrsinfo", "-o", "wkt_esri", fmt.Sprintf("EPSG:%d", r.code))))
	}
	return path
}

func (r *gdalRaster) value(band, x, y int) byte {
	if !isValid(x, y) && r.profile != "plain" {
		return 0
	}
	if band == r.bands {
		return 255
	}
	return byte(1 + (x*3+y*7+band*11)/16%200)
}

// withNoData returns a raster of the sample type whose pixels without data have the nodata value.
func (r *gdalRaster) withNoData(t *testing.T, dir, base string) string {
	t.Helper()
	var vrt strings.Builder
	fmt.Fprintf(&vrt, `<VRTDataset rasterXSize="%d" rasterYSize="%d"><SRS>EPSG:%d</SRS><GeoTransform>%s</GeoTransform>`,
		gdalWidth, gdalHeight, r.code, strings.Trim(strings.ReplaceAll(fmt.Sprint(r.transform), " ", ","), "[]"))
	for band := range r.bands {
		fmt.Fprintf(&vrt, `<VRTRasterBand dataType="%s" band="%d"><NoDataValue>%s</NoDataValue><ComplexSource>`+
			`<SourceFilename relativetoVRT="1">base.vrt</SourceFilename><SourceBand>%d</SourceBand><NODATA>0</NODATA>`+
			`</ComplexSource></VRTRasterBand>`, r.kind, band+1, r.nodata, band+1)
	}
	vrt.WriteString(`</VRTDataset>`)
	path := filepath.Join(dir, "nodata.vrt")
	write(t, path, []byte(vrt.String()))
	return path
}

// area returns a quadrangle that is partly beyond the valid part, with straight edges on the map.
func (r *gdalRaster) area(t *testing.T) []api.Point {
	t.Helper()
	var input strings.Builder
	for _, corner := range [][2]float64{{0.2, 0.15}, {0.95, 0.3}, {0.8, 0.85}, {0.3, 0.9}} {
		x, y := corner[0]*gdalWidth, corner[1]*gdalHeight
		g := r.transform
		fmt.Fprintf(&input, "%.10f %.10f\n", g[0]+g[1]*x+g[2]*y, g[3]+g[4]*x+g[5]*y)
	}
	out := runGDAL(t, input.String(), "gdaltransform", "-s_srs", fmt.Sprintf("EPSG:%d", r.code), "-t_srs", "EPSG:4326", "-output_xy")
	var area []api.Point
	for line := range strings.Lines(out) {
		var p api.Point
		if _, err := fmt.Sscan(line, &p.Lng, &p.Lat); err != nil {
			t.Fatal(err)
		}
		area = append(area, p)
	}
	return area
}

// gdalCoverage counts the pixels of the area, and those of them that the mask of GDAL has.
func gdalCoverage(t *testing.T, dir, path string, code int, area []api.Point) float64 {
	t.Helper()
	var ring [][2]float64
	for i := range area {
		from, to := area[i], area[(i+1)%len(area)]
		for k := range 50 {
			share := float64(k) / 50
			ring = append(ring, [2]float64{from.Lng + (to.Lng-from.Lng)*share, from.Lat + (to.Lat-from.Lat)*share})
		}
	}
	feature, err := json.Marshal(map[string]any{
		"type": "Feature", "properties": map[string]any{},
		"geometry": map[string]any{"type": "Polygon", "coordinates": [][][2]float64{append(ring, ring[0])}},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("area.geojson"), feature)
	runGDAL(t, "", "ogr2ogr", "-t_srs", fmt.Sprintf("EPSG:%d", code), at("area.gpkg"), at("area.geojson"))
	runGDAL(t, "", "gdal_translate", "-q", "-a_srs", fmt.Sprintf("EPSG:%d", code), "-b", "mask", path, at("mask.tif"))
	runGDAL(t, "", "gdal_translate", "-q", "-scale", "0", "255", "0", "0", at("mask.tif"), at("burnt.tif"))
	runGDAL(t, "", "gdal_rasterize", "-q", "-burn", "1", at("area.gpkg"), at("burnt.tif"))
	valid := rawBytes(t, dir, at("mask.tif"))
	inside := rawBytes(t, dir, at("burnt.tif"))
	all, covered := 0, 0
	for i := range inside {
		if inside[i] == 0 {
			continue
		}
		all++
		if valid[i] != 0 {
			covered++
		}
	}
	return float64(covered) / float64(all)
}

// rawBytes returns the samples of a raster of one band of bytes.
func rawBytes(t *testing.T, dir, path string) []byte {
	t.Helper()
	raw := filepath.Join(dir, "raw.bin")
	runGDAL(t, "", "gdal_translate", "-q", "-of", "ENVI", path, raw)
	data, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
