//===- AtomicFileTest.cpp - Whole files or none ---------------------------===//

#include "tpu_mlir/Support/AtomicFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tpu_mlir;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class AtomicFile : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/atomic-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const char *name) const { return folder / name; }
  static std::string contents(const std::string &path) {
    auto result = readWholeFile(path);
    return std::holds_alternative<std::string>(result)
               ? std::get<std::string>(result)
               : "error: " + std::get<FileError>(result).message;
  }
  size_t filesInFolder() const {
    return size_t(std::distance(fs::directory_iterator(folder),
                                fs::directory_iterator()));
  }
  fs::path folder;
};

TEST_F(AtomicFile, WritesAndReplaces) {
  EXPECT_FALSE(writeFileAtomically(path("a"), "one"));
  EXPECT_EQ(contents(path("a")), "one");
  const std::string big(200000, 'x');
  EXPECT_FALSE(writeFileAtomically(path("a"), big));
  EXPECT_EQ(contents(path("a")), big);
  EXPECT_FALSE(writeFileAtomically(path("a"), ""));
  EXPECT_EQ(contents(path("a")), "");
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(AtomicFile, SeveralFilesAreWrittenAllOrNone) {
  EXPECT_FALSE(writeFileAtomically(path("old"), "before"));
  auto error = writeFilesAtomically(
      {{path("old"), "after"}, {path("none/new"), "x"}, {path("new"), "y"}});
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("none/new"));
  EXPECT_EQ(contents(path("old")), "before");
  EXPECT_EQ(filesInFolder(), 1u);

  EXPECT_FALSE(
      writeFilesAtomically({{path("old"), "after"}, {path("new"), "y"}}));
  EXPECT_EQ(contents(path("old")), "after");
  EXPECT_EQ(contents(path("new")), "y");
  EXPECT_EQ(filesInFolder(), 2u);
}

/// However they are written, before anything is.
TEST_F(AtomicFile, TwoResultsDoNotShareAFile) {
  EXPECT_FALSE(writeFileAtomically(path("old"), "before"));
  ASSERT_EQ(symlink(path("old").c_str(), path("link").c_str()), 0);
  const std::pair<std::string, std::string> pairs[] = {
      {path("new"), path("new")},
      {path("new"), path("./new")},
      {path("old"), path("link")}};
  for (const auto &[one, other] : pairs) {
    auto error =
        writeFilesAtomically({{path("first"), "x"}, {one, "y"}, {other, "z"}});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message,
              "cannot write '" + other + "': two results go to this file");
  }
  EXPECT_EQ(contents(path("old")), "before");
  EXPECT_EQ(filesInFolder(), 2u);
  EXPECT_FALSE(writeFilesAtomically({{"/dev/null", "x"}, {"/dev/null", "y"}}));
}

TEST_F(AtomicFile, NewFilesObeyUmaskAndOldOnesKeepTheirMode) {
  const mode_t mask = umask(027);
  EXPECT_FALSE(writeFileAtomically(path("new"), "x"));
  umask(mask);
  struct stat status;
  stat(path("new").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);

  chmod(path("new").c_str(), 0604);
  EXPECT_FALSE(writeFileAtomically(path("new"), "y"));
  stat(path("new").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0604u);
}

TEST_F(AtomicFile, FollowsLinks) {
  EXPECT_FALSE(writeFileAtomically(path("real"), "old"));
  fs::create_symlink("real", path("link"));
  EXPECT_FALSE(writeFileAtomically(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents(path("real")), "new");
  // What is not there yet, by two links.
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/second", path("first"));
  fs::create_symlink("../made", path("folder/second"));
  EXPECT_FALSE(whyNotWritable(path("first")));
  EXPECT_TRUE(isSameFile(path("first"), path("made")));
  EXPECT_FALSE(writeFileAtomically(path("first"), "x"));
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_EQ(contents(path("made")), "x");
  // One that leads to itself is replaced.
  fs::create_symlink("circle", path("circle"));
  EXPECT_FALSE(writeFileAtomically(path("circle"), "y"));
  EXPECT_EQ(contents(path("circle")), "y");
}

TEST_F(AtomicFile, FailuresSayWhyAndLeaveNothingBehind) {
  const auto missing = writeFileAtomically(path("no/such"), "x");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->message, "cannot write '" + path("no/such") +
                                  "': no such file or directory");
  const auto isFolder = writeFileAtomically(folder, "x");
  ASSERT_TRUE(isFolder);
  EXPECT_THAT(isFolder->message, HasSubstr("is a directory"));
  EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(AtomicFile, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_FALSE(whyNotWritable(path("new")));
  EXPECT_FALSE(whyNotWritable("/dev/null"));
  EXPECT_FALSE(writeFileAtomically(path("old"), "x"));
  EXPECT_FALSE(whyNotWritable(path("old")));
  fs::create_symlink("old", path("link"));
  EXPECT_FALSE(whyNotWritable(path("link")));
  fs::create_directory(path("folder"));
  // The same words as when it is tried.
  for (const std::string &wrong :
       {path("no/such"), path("folder"), path("old/below")}) {
    const auto before = whyNotWritable(wrong);
    const auto tried = writeFileAtomically(wrong, "x");
    ASSERT_TRUE(before) << wrong;
    ASSERT_TRUE(tried) << wrong;
    EXPECT_EQ(before->message, tried->message);
  }
  EXPECT_EQ(filesInFolder(), 3u);
}

TEST_F(AtomicFile, DevicesAreNotReplaced) {
  EXPECT_FALSE(writeFileAtomically("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  // Writing to a full device fails without a trace.
  if (fs::exists("/dev/full")) {
    const auto error = writeFileAtomically("/dev/full", "x");
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("no space left"));
  }
}

TEST_F(AtomicFile, ReadingWhatIsNotThere) {
  EXPECT_EQ(contents(path("none")), "error: cannot read '" + path("none") +
                                        "': no such file or directory");
  EXPECT_THAT(contents(folder), HasSubstr("error: cannot read"));
}

} // namespace
