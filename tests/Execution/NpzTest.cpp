//===- NpzTest.cpp - Arrays survive a file --------------------------------===//
//
// Round trips, files that numpy wrote, and files with every byte damaged.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Files/Npz.h"
#include "tpu_mlir/Execution/Files/NpzWriter.h"

#include "Tensors.h"
#include "lib/Execution/Files/Zip.h"

#include <filesystem>
#include <fstream>

using namespace tpu_mlir::execution;

namespace {

std::string written(llvm::ArrayRef<NpyArray> arrays) {
  auto file = writeNpz(arrays);
  EXPECT_TRUE(std::holds_alternative<std::string>(file));
  return std::get<std::string>(file);
}

std::string whyNot(std::string_view file) {
  auto read = readNpz(file);
  auto *error = std::get_if<NpzError>(&read);
  return error ? error->message : "";
}

/// "x.npy" deflated, with the extra field of large files as numpy
/// writes it: int16 zeros, [2, 100].
const unsigned char kDeflated[] = {
    0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x21, 0x00, 0x7a, 0xc7, 0xff, 0xb6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0x05, 0x00, 0x14, 0x00, 0x78, 0x2e, 0x6e, 0x70, 0x79, 0x01,
    0x00, 0x10, 0x00, 0x10, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4d,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b,
    0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c,
    0xa4, 0x6e, 0xa5, 0xa0, 0x6e, 0x93, 0x69, 0xa4, 0xae, 0xa3, 0xa0, 0x9e,
    0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a,
    0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16,
    0xa4, 0x02, 0xf9, 0x1a, 0x46, 0x3a, 0x0a, 0x86, 0x06, 0x06, 0x9a, 0x3a,
    0x0a, 0xb5, 0x0a, 0x64, 0x02, 0x2e, 0x86, 0x51, 0x30, 0xa8, 0x00, 0x00,
    0x50, 0x4b, 0x01, 0x02, 0x2d, 0x03, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00,
    0x00, 0x00, 0x21, 0x00, 0x7a, 0xc7, 0xff, 0xb6, 0x4d, 0x00, 0x00, 0x00,
    0x10, 0x02, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x78, 0x2e,
    0x6e, 0x70, 0x79, 0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01,
    0x00, 0x01, 0x00, 0x33, 0x00, 0x00, 0x00, 0x84, 0x00, 0x00, 0x00, 0x00,
    0x00,
};

std::string deflated() {
  return std::string(reinterpret_cast<const char *>(kDeflated),
                     sizeof(kDeflated));
}

TEST(Npz, ComesBackAsItWas) {
  const std::vector<NpyArray> arrays = {
      arrayOf("a", randomTensor(ElementType::F32, {2, 3, 4}, 1).view()),
      arrayOf("b/c", randomTensor(ElementType::I8, {5}, 2).view()),
      arrayOf("number", randomTensor(ElementType::F16, {}, 3).view()),
      arrayOf("none", makeTensor(ElementType::U32, {0, 7}).view())};
  auto read = readNpz(written(arrays));
  ASSERT_TRUE(std::holds_alternative<std::vector<NpyArray>>(read));
  const auto &back = std::get<std::vector<NpyArray>>(read);
  ASSERT_EQ(back.size(), arrays.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].name, arrays[i].name);
    EXPECT_EQ(back[i].dtype, arrays[i].dtype);
    EXPECT_EQ(back[i].shape, arrays[i].shape);
    EXPECT_EQ(back[i].data, arrays[i].data);
  }
}

TEST(Npz, ReadsDeflatedArrays) {
  auto read = readNpz(deflated());
  ASSERT_TRUE(std::holds_alternative<std::vector<NpyArray>>(read))
      << whyNot(deflated());
  const NpyArray &x = std::get<std::vector<NpyArray>>(read).front();
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.dtype, "<i2");
  EXPECT_EQ(x.shape, (Shape{2, 100}));
  EXPECT_EQ(x.data, std::vector<uint8_t>(400, 0));
}

/// The flags of the one array of that name in its header and in the directory.
std::pair<int, int> flagsOf(const std::string &name) {
  const std::string file =
      written({arrayOf(name, tensorOf({2}, {1, 2}).view())});
  const auto flagsAt = [&](size_t at) {
    return static_cast<uint8_t>(file[at]) | static_cast<uint8_t>(file[at + 1])
                                                << 8;
  };
  return {flagsAt(6), flagsAt(file.rfind("PK\1\2") + 8)};
}

/// numpy would call "\xc3\xbcy" by other letters without the flag, and open
/// nothing of a file in which a name with it is no UTF-8.
TEST(Npz, NamesBeyondAsciiAreMarkedAsUtf8) {
  EXPECT_EQ(flagsOf("y"), std::make_pair(0, 0));
  EXPECT_EQ(flagsOf("\x7f~"), std::make_pair(0, 0));
  EXPECT_EQ(flagsOf("\xc3\xbcy"), std::make_pair(1 << 11, 1 << 11));
  EXPECT_EQ(flagsOf("\xfcy"), std::make_pair(0, 0));
  for (const char *name : {"\xc3\xbcy", "\xfcy"}) {
    auto read = readNpz(written({arrayOf(name, tensorOf({1}, {1}).view())}));
    ASSERT_TRUE(std::holds_alternative<std::vector<NpyArray>>(read));
    EXPECT_EQ(std::get<std::vector<NpyArray>>(read).front().name, name);
  }
}

/// A zip file has two bytes for the length of a name, ".npy" included.
TEST(Npz, NamesThatAreTooLongAreErrors) {
  const NpyArray longest =
      arrayOf(std::string(65531, 'x'), tensorOf({1}, {1}).view());
  auto read = readNpz(written({longest}));
  ASSERT_TRUE(std::holds_alternative<std::vector<NpyArray>>(read));
  EXPECT_EQ(std::get<std::vector<NpyArray>>(read).front().name, longest.name);
  NpyArray longer = longest;
  longer.name += 'x';
  auto file = writeNpz({longer});
  ASSERT_TRUE(std::holds_alternative<NpzError>(file));
  const std::string message = "the name of an array, 'xxxxxxxxxxxxxxxxxxxx..', "
                              "has 65532 bytes: 65531 are the most";
  EXPECT_EQ(std::get<NpzError>(file).message, message);
}

/// Whatever is missing or changed: an error or the same arrays, never a crash.
TEST(Npz, DamageIsAnError) {
  const std::string stored =
      written({arrayOf("a", randomTensor(ElementType::F32, {9}, 1).view())});
  for (const std::string &file : {stored, deflated()}) {
    for (size_t length = 0; length < file.size(); ++length)
      EXPECT_NE(whyNot(file.substr(0, length)), "") << length;
    for (size_t i = 0; i < file.size(); ++i)
      for (int bit : {0, 3, 7}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
        (void)whyNot(changed);
      }
  }
  EXPECT_EQ(whyNot(""), "it is no zip file, or it is cut off");
}

TEST(Npz, ChecksumsAreChecked) {
  NpyArray array = arrayOf("a", tensorOf({2}, {1, 2}).view());
  std::string file = written({array});
  const std::string data(array.data.begin(), array.data.end());
  file[file.find(data)] ^= 1;
  EXPECT_EQ(whyNot(file), "entry 'a.npy' is damaged");
}

TEST(Npz, OtherArraysAreRefused) {
  NpyArray array = arrayOf("a", tensorOf({2}, {1, 2}).view());
  for (const char *dtype : {"<c8", "<f1", "=f4", "|f4", ">u1", "|O8", "<U4"}) {
    array.dtype = dtype;
    EXPECT_EQ(whyNot(written({array})), "entry 'a.npy' has elements of type '" +
                                            array.dtype +
                                            "', which are not read");
  }
  array.dtype = "<f4";
  array.shape = {3};
  EXPECT_EQ(whyNot(written({array})),
            "entry 'a.npy' has 8 bytes of data, which is not what its shape "
            "says");
}

void append(std::string &bytes, uint32_t number, int count) {
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(number >> 8 * i & 255);
}

uint32_t checksum(const std::string &data) {
  uint32_t sum = ~0u;
  for (char c : data) {
    sum ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit)
      sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

/// A zip file with one entry, which is stored.
std::string zipOf(const std::string &name, const std::string &data) {
  std::string fields;
  append(fields, 20, 2);
  for (int zero = 0; zero < 8; ++zero)
    fields += '\0';
  append(fields, checksum(data), 4);
  append(fields, data.size(), 4);
  append(fields, data.size(), 4);
  append(fields, name.size(), 2);
  std::string file = "PK\3\4" + fields;
  append(file, 0, 2);
  file += name + data;
  const size_t begin = file.size();
  file += "PK\1\2";
  append(file, 20, 2);
  file += fields + std::string(16, '\0') + name;
  const size_t length = file.size() - begin;
  file += "PK\5\6";
  append(file, 0, 4);
  append(file, 1, 2);
  append(file, 1, 2);
  append(file, length, 4);
  append(file, begin, 4);
  append(file, 0, 2);
  return file;
}

/// The one array of a file with such a header in front of such data, as
/// numpy.save pads it.
NpyArray readOne(const std::string &dict, const std::string &data) {
  std::string npy("\x93NUMPY\x01\0", 8);
  std::string header = dict;
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header + data;
  auto read = readNpz(zipOf("x.npy", npy));
  EXPECT_TRUE(std::holds_alternative<std::vector<NpyArray>>(read))
      << std::get<NpzError>(read).message;
  return std::get<std::vector<NpyArray>>(read).front();
}

/// What numpy writes of a transposed array, and on or for a big-endian machine.
TEST(Npz, OtherOrdersAreRead) {
  // numpy.arange(1, 7, dtype='<i2').reshape(3, 2).T
  NpyArray x =
      readOne("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }",
              std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12));
  EXPECT_EQ(x.dtype, "<i2");
  EXPECT_EQ(x.shape, (Shape{2, 3}));
  EXPECT_EQ(x.data, (std::vector<uint8_t>{1, 0, 3, 0, 5, 0, 2, 0, 4, 0, 6, 0}));
  // The same in three dimensions, big-endian: numpy.arange(1, 13,
  // dtype='>i2').reshape(3, 2, 2).T
  std::string data;
  for (char i = 1; i <= 12; ++i)
    data += {'\0', i};
  x = readOne("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2, 3), }",
              data);
  EXPECT_EQ(x.dtype, "<i2");
  std::vector<uint8_t> wanted;
  for (uint8_t i : {1, 5, 9, 3, 7, 11, 2, 6, 10, 4, 8, 12})
    wanted.insert(wanted.end(), {i, 0});
  EXPECT_EQ(x.data, wanted);
  x = readOne("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
              std::string("\x3f\xf8\0\0\0\0\0\0", 8));
  EXPECT_EQ(x.dtype, "<f8");
  auto bytes = bytesFor(TensorType{ElementType::F16, {1}}, x);
  ASSERT_TRUE(std::holds_alternative<std::vector<uint8_t>>(bytes));
  EXPECT_EQ(std::get<std::vector<uint8_t>>(bytes),
            (std::vector<uint8_t>{0x00, 0x3e})); // 1.5
  x = readOne("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 9), }", "");
  EXPECT_EQ(x.shape, (Shape{0, 9}));
  x = readOne("{'descr': '|b1', 'fortran_order': True, 'shape': (), }",
              std::string("\1", 1));
  EXPECT_EQ(x.data, std::vector<uint8_t>{1});
}

TEST(Npz, NumbersAreConverted) {
  NpyArray wide{"w", "<i8", {2}, std::vector<uint8_t>(16, 0xff)};
  auto bytes = bytesFor(TensorType{ElementType::F16, {1, 2}}, wide);
  ASSERT_TRUE(std::holds_alternative<std::vector<uint8_t>>(bytes));
  EXPECT_EQ(std::get<std::vector<uint8_t>>(bytes),
            (std::vector<uint8_t>{0x00, 0xbc, 0x00, 0xbc}));
  bytes = bytesFor(TensorType{ElementType::U8, {2}}, wide);
  EXPECT_EQ(std::get<std::vector<uint8_t>>(bytes),
            (std::vector<uint8_t>{0, 0}));
  bytes = bytesFor(TensorType{ElementType::U8, {3}}, wide);
  ASSERT_TRUE(std::holds_alternative<NpzError>(bytes));
  EXPECT_EQ(std::get<NpzError>(bytes).message, "array 'w' is 2, 3 is needed");
}

//===----------------------------------------------------------------------===//
// NpzWriter
//===----------------------------------------------------------------------===//

class Folder {
public:
  Folder() : path(testing::TempDir() + "npz-XXXXXX") {
    EXPECT_NE(mkdtemp(path.data()), nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const { return path + "/" + name; }
  size_t files() const {
    return std::distance(std::filesystem::directory_iterator(path), {});
  }
  std::string path;
};

std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// In parts of `step` bytes.
NpzWriter::Error writeParts(NpzWriter &writer, const NpyArray &array,
                            size_t step) {
  NpzWriter::Error error = writer.begin(array.name, array.dtype, array.shape);
  const llvm::StringRef bytes(reinterpret_cast<const char *>(array.data.data()),
                              array.data.size());
  for (size_t at = 0; at < bytes.size() && !error; at += step)
    error = writer.append(bytes.substr(at, step));
  return error;
}

TEST(NpzWriter, WritesWhatIsWrittenAtOnce) {
  const std::vector<NpyArray> arrays = {
      arrayOf("a", randomTensor(ElementType::F32, {2, 3, 4}, 1).view()),
      arrayOf("large", randomTensor(ElementType::F32, {700'000}, 2).view()),
      arrayOf("none", makeTensor(ElementType::U32, {0, 7}).view()),
      arrayOf("b", randomTensor(ElementType::I8, {5}, 3).view())};
  for (const size_t step : {size_t(7'000), size_t(3) << 20}) {
    const Folder folder;
    NpzWriter writer(folder.file("x.npz"));
    for (const NpyArray &array : arrays)
      EXPECT_FALSE(writeParts(writer, array, step));
    EXPECT_FALSE(writer.finish());
    EXPECT_FALSE(std::filesystem::exists(folder.file("x.npz")));
    EXPECT_FALSE(writer.putInPlace());
    EXPECT_EQ(contentsOf(folder.file("x.npz")), written(arrays));
    EXPECT_EQ(folder.files(), 1u);
  }
}

TEST(NpzWriter, LeavesNothingThatIsNotPutInPlace) {
  const Folder folder;
  const NpyArray array =
      arrayOf("a", randomTensor(ElementType::F32, {9}, 1).view());
  {
    NpzWriter writer(folder.file("x.npz"));
    EXPECT_FALSE(writeParts(writer, array, 100));
    EXPECT_FALSE(writer.finish());
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST(NpzWriter, SaysWhatIsWrong) {
  const Folder folder;
  const NpyArray array =
      arrayOf("a", randomTensor(ElementType::F32, {9}, 1).view());
  NpzWriter nowhere(folder.file("no/x.npz"));
  auto error = writeParts(nowhere, array, 100);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "cannot write '" + folder.file("no/x.npz") +
                                "': no such file or directory");
  EXPECT_TRUE(nowhere.finish() && nowhere.putInPlace());

  NpzWriter little(folder.file("x.npz"));
  EXPECT_FALSE(little.begin("a", "<f4", {2}));
  EXPECT_FALSE(little.append("1234"));
  error = little.finish();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "array 'a.npy' has fewer elements than its shape says");

  NpzWriter much(folder.file("y.npz"));
  EXPECT_FALSE(much.begin("a", "<f4", {1}));
  error = much.append("12345678");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "array 'a.npy' has more elements than its shape says");
  EXPECT_FALSE(NpzWriter(folder.path).finish() == std::nullopt);

  NpzWriter named(folder.file("z.npz"));
  EXPECT_TRUE(named.begin(std::string(65532, 'x'), "<f4", {1}));
  EXPECT_TRUE(named.finish());
}

/// Records of more than 4 GiB, without so many bytes of data.
TEST(Zip, SizesThatDoNotFitInto32Bits) {
  const uint64_t large = uint64_t(5) << 32;
  const std::string header = zipHeader({"x.npy", 1, large, 0});
  EXPECT_EQ(header.size(), 30u + 5 + 20);
  EXPECT_EQ(header.substr(18, 8), std::string(8, '\xff'));
  const std::string end = zipDirectory(
      {{"x.npy", 1, large, 0}, {"y.npy", 2, 8, large + 55}}, large + 55 + 43);
  // The second line has its place beside it, and the file two more records.
  EXPECT_EQ(end.size(), (46u + 5 + 20) + (46 + 5 + 12) + 56 + 20 + 22);
}

} // namespace
